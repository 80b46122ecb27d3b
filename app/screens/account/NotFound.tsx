import { i18n } from '@lingui/core'
import { Link } from 'wouter'
import { Page } from '../../ui/Page.tsx'

/** An address that leads nowhere. */
export default function NotFound() {
  return (
    <Page
      title={i18n._('Not found')}
      lead={i18n._('This address leads nowhere. It may be old or cut short.')}
    >
      <Link href="/">{i18n._('Open Linnet')}</Link>
    </Page>
  )
}
