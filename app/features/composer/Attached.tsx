import { i18n } from '@lingui/core'
import FileIcon from 'lucide-react/icons/file'
import X from 'lucide-react/icons/x'
import { useEffect, useState } from 'react'
import type { PreparedFile } from '../../data/files/sending/prepareFile.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { sizeOf } from '../../ui/size.ts'
import styles from './Attached.module.css'
import type { Attachments } from './useAttachments.ts'

/** The files that go with the message, before it is sent. */
export default function Attached({ attached }: { attached: Attachments }) {
  return (
    <ul className={styles.files} aria-label={i18n._('Attached files')}>
      {attached.files.map((file) => (
        <li key={file.id} className={styles.file}>
          <Preview file={file} />
          <span className={styles.words}>
            <bdi className={styles.name}>{file.name}</bdi>
            <span className={styles.size}>{sizeOf(file.size)}</span>
          </span>
          <IconButton
            label={i18n._('Remove {name}', { name: file.name })}
            icon={<Icon of={X} />}
            onClick={() => attached.remove(file.id)}
          />
        </li>
      ))}
      {attached.preparing ? <li className={styles.file}>{i18n._('Reading the file…')}</li> : null}
    </ul>
  )
}

function Preview({ file }: { file: PreparedFile }) {
  const blob = file.thumb ?? (file.width === null ? null : file.blob)
  const url = useObjectUrl(blob)
  return (
    <span className={styles.preview}>
      {url ? <img src={url} alt="" /> : blob ? null : <Icon of={FileIcon} size={20} />}
    </span>
  )
}

/** A blob's address in this page, given back when it is no longer drawn. */
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
