import { i18n } from '@lingui/core'
import X from 'lucide-react/icons/x'
import { useEffect, useState, type RefObject } from 'react'
import type { PreparedFile } from '../../../../data/files/upload/prepareFile.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import { FileName } from '../../../parts/files/names/FileName.tsx'
import { fileIcon } from '../../../parts/files/uploads/fileIcon.ts'
import type { MessageFieldHandle } from '../../writing/MessageFieldProps.ts'
import styles from './AttachmentList.module.css'

interface Props {
  /** A file without bytes is on the server. */
  files: readonly ListedFile[]
  /** More files are being read. */
  preparing: boolean
  onRemove: (id: string) => void
  /** The message field. */
  field: RefObject<MessageFieldHandle | null>
}

type ListedFile = Pick<PreparedFile, 'id' | 'name' | 'type' | 'size' | 'width'> & {
  blob?: Blob
  thumb: Blob | boolean | null
}

/** The files of the message that is being written or edited. */
export default function AttachmentList({ files, preparing, onRemove, field }: Props) {
  // The button disappears with its file: the focus moves to the next file, or to the field after the last.
  const remove = (id: string, button: HTMLElement) => {
    const item = button.closest('li')
    const next = item?.nextElementSibling ?? item?.previousElementSibling
    const nextButton = next?.querySelector('button')
    if (nextButton) nextButton.focus({ preventScroll: true })
    else field.current?.focus()
    onRemove(id)
  }
  return (
    <ul className={styles.files} aria-label={i18n._('Attached files')}>
      {files.map((file) => (
        <li key={file.id} className={styles.file}>
          <Preview file={file} />
          <span className={styles.details}>
            <FileName name={file.name} />
            <span className={styles.size}>{formatBytes(file.size)}</span>
          </span>
          <IconButton
            label={i18n._('Remove {name}', { name: file.name })}
            icon={<Icon of={X} />}
            onClick={(event) => remove(file.id, event.currentTarget)}
          />
        </li>
      ))}
      {preparing ? <li className={styles.file}>{i18n._('Reading the file…')}</li> : null}
    </ul>
  )
}

function Preview({ file }: { file: ListedFile }) {
  const image = file.width !== null && file.type.startsWith('image/') ? (file.blob ?? null) : null
  const blob = file.thumb instanceof Blob ? file.thumb : image
  const url = useObjectUrl(blob)
  return (
    <span className={styles.preview}>
      {url ? <img src={url} alt="" /> : blob ? null : <Icon of={fileIcon(file.type)} size={20} />}
    </span>
  )
}

/** An object URL of the blob, revoked when it is no longer used. */
function useObjectUrl(blob: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    const frame = requestAnimationFrame(() => setUrl(made))
    return () => {
      cancelAnimationFrame(frame)
      URL.revokeObjectURL(made)
    }
  }, [blob])
  return url
}
