import { i18n } from '@lingui/core'
import { memo } from 'react'
import type { ListedFile } from '../../../../wire/files.ts'
import { useProfile } from '../../../data/people/people.ts'
import { momentOf, whenOf } from '../../../ui/clock.ts'
import { cx } from '../../../ui/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { sizeOf } from '../../../ui/size.ts'
import { Ellipsis } from '../../message/icons.ts'
import { FileName } from '../names/FileName.tsx'
import styles from './FileBrowser.module.css'
import { Thumb } from './Thumb.tsx'

interface Props {
  listed: ListedFile
  /** A picture among pictures; else a line. */
  tile: boolean
  /** Where it was said; left out where one is there. */
  place: string | null
  /** The one that Tab leads to. */
  here: boolean
  onOpen: (listed: ListedFile) => void
  onMenu: (listed: ListedFile, anchor: HTMLElement, at?: { x: number; y: number }) => void
}

/** A file in the list: what it is, whose, since when. A press opens it. */
export const FileItem = memo(function FileItem({ listed, tile, place, here, onOpen, onMenu }: Props) {
  const { file, author_id: author, created_at: at, channel_id: channelId } = listed
  const name = useProfile(author)?.name ?? i18n._('Former member')
  const tab = here ? 0 : -1
  return (
    <li
      className={cx(styles.item, tile ? styles.tile : styles.line)}
      onContextMenu={(event) => {
        event.preventDefault()
        const anchor = event.currentTarget.querySelector<HTMLElement>('[data-open]')
        // By a key there is no point: then it stands beside its file.
        const byHand = event.clientX > 0 || event.clientY > 0
        if (anchor) onMenu(listed, anchor, byHand ? { x: event.clientX, y: event.clientY } : undefined)
      }}
    >
      <button type="button" className={styles.open} data-open tabIndex={tab} onClick={() => onOpen(listed)}>
        <Thumb channelId={channelId} file={file} />
        <span className={styles.words}>
          <FileName name={file.name} className={styles.name} />
          <span className={styles.facts}>
            <bdi>{name}</bdi>
            {tile ? null : (
              <>
                {' · '}
                <bdi>
                  <time dateTime={at} title={momentOf(at)}>
                    {whenOf(at)}
                  </time>
                </bdi>
                {' · '}
                <bdi>{sizeOf(file.size)}</bdi>
              </>
            )}
            {tile || place === null ? null : (
              <>
                {' · '}
                <bdi>{place}</bdi>
              </>
            )}
          </span>
        </span>
      </button>
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
