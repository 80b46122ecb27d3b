import { i18n } from '@lingui/core'
import { Link } from '../../ui/Link.tsx'
import { pathTo } from '../../paths.ts'
import { Page } from '../../ui/Page.tsx'

/** The page for an unknown path. */
export default function NotFound() {
  return (
    <Page
      title={i18n._('Not found')}
      lead={i18n._('This page doesn’t exist. The link may be old or incomplete.')}
    >
      <Link href={pathTo('home')}>{i18n._('Open Linnet')}</Link>
    </Page>
  )
}
