import { i18n } from '@lingui/core'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import Again from 'lucide-react/icons/rotate-cw'
import X from 'lucide-react/icons/x'
import { cancelUpload, pauseUpload, resumeUpload } from '../../../../data/files/upload/uploads.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { useToast } from '../../../../ui/toast.ts'
import type { UploadDisplay } from './useUploadDisplay.ts'
import type { DiscardedMessage } from '../../../../data/messages/messages.ts'
import type { PendingFile } from '../../../../data/messages/timeline.ts'

interface Props extends Omit<PendingFileProps, 'isErrorShown'> {
  upload: UploadDisplay
}

/** Actions for an upload: pause, resume, retry, remove. */
export function UploadActions({ file, upload, onRestore, mayRemove }: Props) {
  const showToast = useToast()
  const { id, name } = file
  const { state } = upload
  if (!upload.isShown) return null

  const remove = async (button: HTMLElement) => {
    // The button disappears with its file: the message is focused, or the field that receives its text.
    button.closest('article')?.focus({ preventScroll: true })
    const body = await cancelUpload(id)
    if (body === null) return
    onRestore?.({ body, files: [], extras: null })
    showToast({ text: i18n._('Message discarded.') })
  }
  const label =
    state === 'failed'
      ? i18n._('Try {name} again', { name })
      : state === 'paused'
        ? i18n._('Resume {name}', { name })
        : i18n._('Pause {name}', { name })
  const isStopped = state === 'paused' || state === 'failed'
  return (
    <>
      <IconButton
        label={label}
        icon={<Icon of={state === 'failed' ? Again : isStopped ? Play : Pause} />}
        onClick={() => void (isStopped ? resumeUpload(id) : pauseUpload(id))}
      />
      {mayRemove ? (
        <IconButton
          label={i18n._('Remove {name}', { name })}
          icon={<Icon of={X} />}
          onClick={(event) => void remove(event.currentTarget)}
        />
      ) : null}
    </>
  )
}
export interface PendingFileProps {
  file: PendingFile
  onRestore: ((message: DiscardedMessage) => void) | null
  /** Whether it can be removed from its message. */
  mayRemove: boolean
  /** Whether its message already shows the error. */
  isErrorShown: boolean
}
