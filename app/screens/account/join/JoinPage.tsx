import { i18n } from '@lingui/core'
import { usePageAddress } from '../../../ui/pageAddress.ts'
import { invitationIn, Join } from './Join.tsx'
import { MessagePage } from '../../../features/flows/account/MessagePage.tsx'

/** The page of an invitation, `?invitation=TOKEN`, or `#TOKEN` in shared links: the fragment is not sent to any server. */
export default function JoinPage() {
  // Another link that is opened in this tab changes the fragment alone.
  const token = invitationIn(usePageAddress())
  if (token) return <Join key={token} token={token} />
  return (
    <MessagePage
      title={i18n._('This link is incomplete')}
      lead={i18n._('Copy the full invitation link and open it again.')}
    />
  )
}
