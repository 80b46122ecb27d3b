import { i18n } from '@lingui/core'
import { pathTo } from '../../../paths.ts'
import { Link } from '../../../ui/Link.tsx'
import { Page } from '../../../ui/Page.tsx'

interface Props {
  title: string
  lead: string
  /** The page that the reader can continue to. */
  to?: 'home' | 'signIn' | 'securitySettings'
}

/** A page that only explains something and links to another page. */
export function MessagePage({ title, lead, to = 'home' }: Props) {
  const labels = {
    home: i18n._('Open Linnet'),
    signIn: i18n._('Sign in'),
    securitySettings: i18n._('Go to your settings'),
  }
  return (
    <Page title={title} lead={lead}>
      <Link href={pathTo(to)}>{labels[to]}</Link>
    </Page>
  )
}
