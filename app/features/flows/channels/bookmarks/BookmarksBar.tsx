import { i18n } from '@lingui/core'
import File from 'lucide-react/icons/file'
import LinkIcon from 'lucide-react/icons/link'
import Plus from 'lucide-react/icons/plus'
import { Suspense, useState } from 'react'
import { LIMITS } from '../../../../../wire/limits.ts'
import {
  channelBookmarks,
  deleteBookmark,
  moveBookmark,
  type ShownBookmark,
} from '../../../../data/channels/bookmarks.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import type { ChannelWithPermissions } from '../../../../data/channels/channels.ts'
import type { Outcome } from '../../../../data/failures/failures.ts'
import { cx } from '../../../../ui/cx.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { useLongPress, type Point } from '../../../../ui/useLongPress.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { BookmarkDialog } from './BookmarkDialog.tsx'
import styles from './BookmarksBar.module.css'

const Menu = lazyComponent(() => import('../../../../ui/Menu.tsx'))
const FileViewer = lazyComponent(() => import('../../../parts/files/viewer/FileViewer.tsx'))

interface OpenMenu {
  id: ShownBookmark['id']
  anchor: HTMLElement
  at: Point
}

const NONE: readonly ShownBookmark[] = []

/** The links and files of a channel, for those who may post with a menu for each, and drag and drop; nothing without any. */
export default function BookmarksBar({ channel }: { channel: ChannelWithPermissions }) {
  const { role } = useMe()
  const showToast = useToast()
  const { value: bookmarks = NONE } = useQuery(channelBookmarks, [channel.id], {
    revision: channel.entry.counters.meta_rev,
  })
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const [dialog, setDialog] = useState<ShownBookmark | 'new' | null>(null)
  const [viewed, setViewed] = useState<ShownBookmark | null>(null)
  const [dragged, setDragged] = useState<string | null>(null)
  const [target, setTarget] = useState<string | null>(null)
  const mayChange = channel.permissions.post && role !== 'guest'
  if (bookmarks.length === 0) return null

  const run = async (action: Promise<Outcome<unknown>>) => {
    const outcome = await action
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  // By its id: while the menu is open, the bookmarks can be fetched again.
  const menuBookmark = menu && bookmarks.find(({ id }) => id === menu.id)
  const itemsOf = (bookmark: ShownBookmark) => {
    const position = bookmarks.indexOf(bookmark)
    return [
      ...(bookmark.url === null ? [] : [{ label: i18n._('Edit…'), onSelect: () => setDialog(bookmark) }]),
      ...(position > 0
        ? [
            {
              label: i18n._('Move earlier'),
              onSelect: () => void run(moveBookmark(bookmark.id, position - 1)),
            },
          ]
        : []),
      ...(position < bookmarks.length - 1
        ? [
            {
              label: i18n._('Move later'),
              onSelect: () => void run(moveBookmark(bookmark.id, position + 1)),
            },
          ]
        : []),
      {
        label: i18n._('Remove'),
        onSelect: () => void run(deleteBookmark(bookmark.id)),
        isDestructive: true,
        separated: true,
      },
    ]
  }
  const drop = (on: ShownBookmark) => {
    const moved = bookmarks.find((one) => one.id === dragged)
    setDragged(null)
    setTarget(null)
    if (moved && moved !== on) void run(moveBookmark(moved.id, bookmarks.indexOf(on)))
  }
  return (
    <>
      <ul className={styles.bar} aria-label={i18n._('Bookmarks')}>
        {bookmarks.map((bookmark) => (
          <li
            key={bookmark.id}
            className={cx(styles.item, target === bookmark.id && dragged !== bookmark.id && styles.target)}
            draggable={mayChange}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move'
              setDragged(bookmark.id)
            }}
            onDragOver={(event) => {
              if (dragged === null) return
              event.preventDefault()
              setTarget(bookmark.id)
            }}
            onDragEnd={() => {
              setDragged(null)
              setTarget(null)
            }}
            onDrop={(event) => {
              if (dragged === null) return
              event.preventDefault()
              event.stopPropagation()
              drop(bookmark)
            }}
          >
            <BookmarkLink
              bookmark={bookmark}
              onShow={() => setViewed(bookmark)}
              onMenu={mayChange ? (at, anchor) => setMenu({ id: bookmark.id, anchor, at }) : null}
            />
          </li>
        ))}
        {mayChange && bookmarks.length < LIMITS.bookmarks ? (
          <li className={styles.item}>
            <IconButton
              label={i18n._('Add a bookmark')}
              icon={<Icon of={Plus} />}
              onClick={() => setDialog('new')}
            />
          </li>
        ) : null}
      </ul>
      <Suspense>
        {menu && menuBookmark ? (
          <Menu
            label={i18n._('Bookmark')}
            items={itemsOf(menuBookmark)}
            anchor={menu.anchor}
            at={menu.at}
            onClose={() => setMenu(null)}
          />
        ) : null}
        {viewed?.file && viewed.upload_channel_id ? (
          <FileViewer
            files={[{ channelId: viewed.upload_channel_id, file: viewed.file }]}
            at={0}
            onMove={() => {}}
            onClose={() => setViewed(null)}
          />
        ) : null}
      </Suspense>
      {dialog ? (
        <BookmarkDialog
          channelId={channel.id}
          bookmark={dialog === 'new' ? null : dialog}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </>
  )
}

interface LinkProps {
  bookmark: ShownBookmark
  onShow: () => void
  /** Null: the reader may change nothing. */
  onMenu: ((at: Point, anchor: HTMLElement) => void) | null
}

function BookmarkLink({ bookmark, onShow, onMenu }: LinkProps) {
  const press = useLongPress(
    (at, anchor) => onMenu?.(at, anchor),
    () => onMenu === null,
  )
  const { title, url, file } = bookmark
  // The database accepts only http and https.
  if (url !== null)
    return (
      <a href={url} target="_blank" rel="noopener noreferrer" className={styles.link} title={url} {...press}>
        <Icon of={LinkIcon} />
        <bdi>{title}</bdi>
      </a>
    )
  return (
    <button
      type="button"
      className={cx(styles.link, !file && 'muted')}
      aria-disabled={!file || undefined}
      title={file ? file.name : i18n._('You don’t have access to this file, or it was deleted.')}
      onClick={() => {
        if (file) onShow()
      }}
      {...press}
    >
      <Icon of={File} />
      <bdi>{file ? file.name : i18n._('Unavailable file')}</bdi>
    </button>
  )
}
