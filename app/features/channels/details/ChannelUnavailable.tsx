import { i18n } from '@lingui/core'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'

/** Shown when the channel becomes unavailable while its dialog is open. */
export function ChannelUnavailable({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={i18n._('You’re no longer in this channel')} onClose={onClose}>
      <div className={layout.body}>
        <p>{i18n._('You were removed, or the channel was made private.')}</p>
        <div className={layout.footer}>
          <Button variant="primary" onClick={onClose}>
            {i18n._('Close')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
