import type { TakenBack } from '../../../data/messages/messages.ts'
import type { PendingMessage } from '../../../data/messages/timeline.ts'
import shown from '../shown/Attachments.module.css'
import { inOrder } from '../shown/isPicture.ts'
import { placeOf } from '../shown/pictureBox.ts'
import { PendingLine } from './PendingLine.tsx'
import { PendingPicture } from './PendingPicture.tsx'

interface Props {
  message: PendingMessage
  /** What was written in a message whose last file is taken out; null where nothing is typed. */
  onWords: ((words: TakenBack) => void) | null
}

/** The files of a message on its way, in the places they will keep, with how far each has come. */
export default function PendingFiles({ message, onWords }: Props) {
  const { pictures, others } = inOrder(message.files)
  const told = message.state === 'failed' && message.files.length === 1
  const mayDrop = message.files.length > 1 || message.body === '' || onWords !== null
  const rest = { onWords, mayDrop, told }
  return (
    <div className={shown.attachments}>
      {[...pictures, ...others].map((file) => {
        const place = placeOf(file, pictures.length === 1)
        return place ? (
          <PendingPicture key={file.id} file={file} place={place} {...rest} />
        ) : (
          <PendingLine key={file.id} file={file} {...rest} />
        )
      })}
    </div>
  )
}
