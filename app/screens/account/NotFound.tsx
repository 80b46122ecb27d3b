import { i18n } from '@lingui/core'
import { MessagePage } from '../../features/flows/account/MessagePage.tsx'

/** The page for an unknown path. */
export default function NotFound() {
  return (
    <MessagePage
      title={i18n._('Not found')}
      lead={i18n._('This page doesn’t exist. The link may be old or incomplete.')}
    />
  )
}
