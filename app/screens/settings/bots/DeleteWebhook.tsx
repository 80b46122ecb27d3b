import { i18n } from '@lingui/core'
import type { ComponentProps } from 'react'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'

type Props = Pick<ComponentProps<typeof ConfirmDialog>, 'text' | 'run' | 'onDone' | 'onClose'>

/** Confirms that a webhook is deleted. `text`: what that means. */
export function DeleteWebhook(props: Props) {
  return (
    <ConfirmDialog
      {...props}
      title={i18n._('Delete this webhook?')}
      action={i18n._('Delete webhook')}
      isDestructive
      doneText={i18n._('Webhook deleted.')}
    />
  )
}
