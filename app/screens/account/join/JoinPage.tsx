import { i18n } from '@lingui/core'
import { Link } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import { usePageAddress } from '../../../ui/pageAddress.ts'
import { Page } from '../../../ui/Page.tsx'
import { invitationIn, Join } from './Join.tsx'

/** The page of an invitation, `?invitation=TOKEN`, or `#TOKEN` in shared links: the fragment is not sent to any server. */
export default function JoinPage() {
  // Another link that is opened in this tab changes the fragment alone.
  const token = invitationIn(usePageAddress())
  if (token) return <Join key={token} token={token} />
  return (
    <Page
      title={i18n._('This link is incomplete')}
      lead={i18n._('Copy the full invitation link and open it again.')}
    >
      <Link href={pathTo('home')}>{i18n._('Open Linnet')}</Link>
    </Page>
  )
}
