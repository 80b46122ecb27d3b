import { i18n } from '@lingui/core'
import type { ComponentProps } from 'react'
import { RemoveDialog } from '../../../features/parts/overlays/RemoveDialog.tsx'

type Props = Pick<ComponentProps<typeof RemoveDialog>, 'text' | 'remove' | 'onDone' | 'onClose'>

/** Confirms that a webhook is deleted. `text`: what that means. */
export function DeleteWebhook(props: Props) {
  return (
    <RemoveDialog
      {...props}
      title={i18n._('Delete this webhook?')}
      label={i18n._('Delete webhook')}
      doneText={i18n._('Webhook deleted.')}
    />
  )
}
