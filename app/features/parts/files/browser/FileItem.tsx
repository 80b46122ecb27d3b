import { i18n } from '@lingui/core'
import { memo } from 'react'
import type { ListedFile } from '../../../../../wire/files.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { formatDateTime } from '../../../../ui/dates.ts'
import { cx } from '../../../../ui/cx.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import { formatListTime } from '../../../../ui/formatListTime.ts'
import { Ellipsis, MessageSquare } from '../../icons.ts'
import { FileName } from '../names/FileName.tsx'
import styles from './FileBrowser.module.css'
import { Thumbnail } from './Thumbnail.tsx'

interface Props {
  listed: ListedFile
  /** Shown as a tile; otherwise as a row. */
  tile: boolean
  /** The conversation of the file; null if all files are of one. */
  conversation: string | null
  /** Whether Tab focuses it. */
  isTabStop: boolean
  onOpen: (listed: ListedFile) => void
  onMenu: (listed: ListedFile, anchor: HTMLElement, at?: { x: number; y: number }) => void
  onGoToMessage: (listed: ListedFile) => void
}

/** A file of the list: name, author, conversation, date. A click opens it. */
export const FileItem = memo(function FileItem({
  listed,
  tile,
  conversation,
  isTabStop,
  onOpen,
  onMenu,
  onGoToMessage,
}: Props) {
  const { file, author_id: author, created_at: at, channel_id: channelId } = listed
  const name = useProfile(author)?.name ?? i18n._('Former member')
  const tab = isTabStop ? 0 : -1
  return (
    <li
      className={cx(styles.item, tile ? styles.tile : styles.line)}
      onContextMenu={(event) => {
        event.preventDefault()
        const anchor = event.currentTarget.querySelector<HTMLElement>('[data-open]')
        // Opened by keyboard there is no pointer position: the menu opens beside the file.
        const isByPointer = event.clientX > 0 || event.clientY > 0
        if (anchor) onMenu(listed, anchor, isByPointer ? { x: event.clientX, y: event.clientY } : undefined)
      }}
    >
      <button type="button" className={styles.open} data-open tabIndex={tab} onClick={() => onOpen(listed)}>
        <Thumbnail channelId={file.channel_id ?? channelId} file={file} />
        <span className={styles.details}>
          <FileName name={file.name} className={styles.name} />
          <span className={styles.metadata}>
            <bdi className={styles.by}>{name}</bdi>
            {conversation === null ? null : <bdi className={styles.where}>{conversation}</bdi>}
            <bdi>
              <time dateTime={at} title={formatDateTime(at)}>
                {formatListTime(at)}
              </time>
            </bdi>
            {tile ? null : <bdi className={styles.bytes}>{formatBytes(file.size)}</bdi>}
          </span>
        </span>
      </button>
      {tile ? null : (
        <IconButton
          label={i18n._('Go to message')}
          icon={<Icon of={MessageSquare} />}
          className={cx(styles.more, styles.go)}
          tabIndex={tab}
          onClick={() => onGoToMessage(listed)}
        />
      )}
      <IconButton
        label={i18n._('Options for {name}', { name: file.name })}
        icon={<Icon of={Ellipsis} />}
        className={styles.more}
        aria-haspopup="menu"
        tabIndex={tab}
        onClick={(event) => onMenu(listed, event.currentTarget)}
      />
    </li>
  )
})
