import { i18n } from '@lingui/core'
import Pause from 'lucide-react/icons/pause'
import Play from 'lucide-react/icons/play'
import Again from 'lucide-react/icons/rotate-cw'
import X from 'lucide-react/icons/x'
import { cancelUpload, pauseUpload, resumeUpload } from '../../../data/files/upload/uploads.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useNotice } from '../../../ui/notice.ts'
import type { PendingFileProps } from './PendingLine.tsx'
import type { ShownUpload } from './useShownUpload.ts'

interface Props extends Omit<PendingFileProps, 'told'> {
  upload: ShownUpload
}

/** What can be done about a file on its way: stop it, let it go on, take it out. */
export function UploadDeeds({ file, upload, onWords, mayDrop }: Props) {
  const notice = useNotice()
  const { id, name } = file
  const { state } = upload
  if (!upload.isShown) return null

  const drop = async (button: HTMLElement) => {
    // The button goes with its file; the message it was in stays, or the field that gets its words.
    button.closest('article')?.focus({ preventScroll: true })
    const body = await cancelUpload(id)
    if (body === null) return
    onWords?.({ body, files: [] })
    notice({ words: i18n._('Message discarded.') })
  }
  const label =
    state === 'failed'
      ? i18n._('Try {name} again', { name })
      : state === 'paused'
        ? i18n._('Resume {name}', { name })
        : i18n._('Pause {name}', { name })
  const stands = state === 'paused' || state === 'failed'
  return (
    <>
      <IconButton
        label={label}
        icon={<Icon of={state === 'failed' ? Again : stands ? Play : Pause} />}
        onClick={() => void (stands ? resumeUpload(id) : pauseUpload(id))}
      />
      {mayDrop ? (
        <IconButton
          label={i18n._('Remove {name}', { name })}
          icon={<Icon of={X} />}
          onClick={(event) => void drop(event.currentTarget)}
        />
      ) : null}
    </>
  )
}
