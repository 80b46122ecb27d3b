import { i18n } from '@lingui/core'
import type { Attachment } from '../../../../../wire/files.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { Download } from '../../icons.ts'
import styles from './FileAttachment.module.css'
import { useDownload } from './useDownload.ts'

interface Props {
  channelId: string
  file: Attachment
}

/** The button at the end of the row of a file. */
export function DownloadButton({ channelId, file }: Props) {
  const download = useDownload(channelId, file)
  return (
    <IconButton
      label={i18n._('Download {name}', { name: file.name })}
      icon={<Icon of={Download} size={20} />}
      className={styles.action}
      onClick={download}
    />
  )
}
