import { i18n } from '@lingui/core'
import { Link } from 'wouter'
import { useLocationProperty } from 'wouter/use-browser-location'
import { Page } from '../../../ui/Page.tsx'
import { invitationIn, Join } from './Join.tsx'

/** `/join?invitation=TOKEN`, or `/join#TOKEN` in shared links: the fragment is not sent to any server. */
export default function JoinPage() {
  // Another link that is opened in this tab changes the fragment alone.
  const token = useLocationProperty(() =>
    invitationIn(`${location.pathname}${location.search}${location.hash}`),
  )
  if (token) return <Join key={token} token={token} />
  return (
    <Page
      title={i18n._('This link is incomplete')}
      lead={i18n._('Copy the full invitation link and open it again.')}
    >
      <Link href="/">{i18n._('Open Linnet')}</Link>
    </Page>
  )
}
