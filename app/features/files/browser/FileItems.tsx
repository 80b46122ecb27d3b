import { i18n } from '@lingui/core'
import { Suspense, useCallback, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useLocation } from 'wouter'
import type { ListedFile } from '../../../../wire/files.ts'
import { keyOf } from '../../../data/files/listing/pages.ts'
import { downloadFile } from '../../../data/files/download/files.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { lazily } from '../../../ui/lazily.tsx'
import type { MenuItem } from '../../../ui/Menu.tsx'
import { useNotice } from '../../../ui/notice.ts'
import { Download, Link2, MessageSquare } from '../../message/icons.ts'
import styles from './FileBrowser.module.css'
import { FileItem } from './FileItem.tsx'
import { walk } from './walk.ts'

const FileViewer = lazily(() => import('../viewer/FileViewer.tsx'))
const Menu = lazily(() => import('../../../ui/Menu.tsx'))

/** The viewer asks for older files this long before it comes to the last. */
const AHEAD = 5

interface Props {
  files: readonly ListedFile[]
  /** Pictures side by side; else lines. */
  tiles: boolean
  busy: boolean
  /** What conversations are called; empty where all is of one. */
  places: ReadonlyMap<string, string>
  onMore: () => void
}

interface Opened {
  listed: ListedFile
  anchor: HTMLElement
  at?: { x: number; y: number } | undefined
}

/** The files themselves: arrow keys walk, Enter opens, each has a menu. */
export function FileItems({ files, tiles, busy, places, onMore }: Props) {
  const [at, setAt] = useState<string | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const [menu, setMenu] = useState<Opened | null>(null)
  const list = useRef<HTMLUListElement>(null)
  const place = Math.max(0, at === null ? 0 : indexOf(files, at))
  useKeptFocus(list, files, place)

  const open = useCallback((listed: ListedFile) => {
    setAt(keyOf(listed))
    setShown(keyOf(listed))
  }, [])
  const openMenu = useCallback(
    (listed: ListedFile, anchor: HTMLElement, point?: { x: number; y: number }) => {
      setAt(keyOf(listed))
      setMenu({ listed, anchor, at: point })
    },
    [],
  )
  const closeMenu = useCallback(() => setMenu(null), [])

  function go(to: number) {
    const next = files[to]
    const button = buttonsIn(list.current)[to]
    if (!next || !button) return
    setAt(keyOf(next))
    button.focus({ preventScroll: true })
    button.closest('li')?.scrollIntoView({ block: 'nearest' })
  }

  function press(event: KeyboardEvent<HTMLElement>) {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const toward = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1
    const to = walk(event.key, place, files.length, columnsOf(list.current), toward)
    if (to === null) return
    event.preventDefault()
    go(to)
  }

  const shownAt = shown === null ? -1 : indexOf(files, shown)
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of the buttons within */}
      <ul
        ref={list}
        className={tiles ? styles.tiles : styles.lines}
        aria-label={i18n._('Files')}
        aria-busy={busy}
        onKeyDown={press}
      >
        {files.map((listed, index) => (
          <FileItem
            key={keyOf(listed)}
            listed={listed}
            tile={tiles}
            place={places.get(listed.channel_id) ?? null}
            here={index === place}
            onOpen={open}
            onMenu={openMenu}
          />
        ))}
      </ul>
      <Suspense>
        {menu ? <FileMenu {...menu} onClose={closeMenu} /> : null}
        {shownAt >= 0 ? (
          <Viewer
            files={files}
            at={shownAt}
            onMove={(to) => {
              const next = files[to]
              if (next) setShown(keyOf(next))
              if (to >= files.length - AHEAD) onMore()
            }}
            onClose={() => {
              setShown(null)
              // After the dialog has given the focus back to the one it was opened from.
              requestAnimationFrame(() => go(shownAt))
            }}
          />
        ) : null}
      </Suspense>
    </>
  )
}

interface ViewerProps {
  files: readonly ListedFile[]
  at: number
  onMove: (at: number) => void
  onClose: () => void
}

function Viewer({ files, at, onMove, onClose }: ViewerProps) {
  const [, navigate] = useLocation()
  return (
    <FileViewer
      files={files.map(({ channel_id: channelId, file, author_id: by, created_at }) => ({
        channelId,
        file,
        sent: { by, at: created_at },
      }))}
      at={at}
      onMove={onMove}
      onClose={onClose}
      onShowInConversation={(index) => {
        const file = files[index]
        if (file) navigate(addressIn(file))
      }}
    />
  )
}

function FileMenu({ listed, anchor, at, onClose }: Opened & { onClose: () => void }) {
  const [, navigate] = useLocation()
  const notice = useNotice()
  const { file, channel_id: channelId } = listed
  const items: MenuItem[] = [
    {
      label: i18n._('View in conversation'),
      icon: <Icon of={MessageSquare} />,
      onSelect: () => navigate(addressIn(listed)),
    },
    {
      label: i18n._('Download'),
      icon: <Icon of={Download} />,
      onSelect: () =>
        void downloadFile(channelId, file.id, file.name).then((outcome) => {
          if (!outcome.ok) notice({ words: outcome.failure.sentence })
        }),
    },
    {
      label: i18n._('Copy link'),
      icon: <Icon of={Link2} />,
      onSelect: () =>
        void navigator.clipboard.writeText(location.origin + addressIn(listed)).then(
          () => notice({ words: i18n._('Link copied.') }),
          () => notice({ words: i18n._('Couldn’t copy the link. Copy it from the address bar.') }),
        ),
    },
  ]
  return <Menu label={file.name} items={items} anchor={anchor} at={at} onClose={onClose} />
}

/** The message that carries the file; a reply is found in its thread from there. */
function addressIn({ channel_id: channel, message_id: message }: ListedFile): string {
  return `/c/${channel}/m/${message}`
}

function indexOf(files: readonly ListedFile[], key: string): number {
  return files.findIndex((one) => keyOf(one) === key)
}

function buttonsIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-open]') ?? [])]
}

/** How many stand side by side. */
function columnsOf(list: HTMLElement | null): number {
  const items = [...(list?.children ?? [])] as HTMLElement[]
  const top = items[0]?.offsetTop
  const below = items.findIndex((item) => item.offsetTop !== top)
  return Math.max(1, below < 0 ? items.length : below)
}

/** Where the file that has the focus goes (its message was deleted), the one in its place takes it. */
function useKeptFocus(
  list: React.RefObject<HTMLUListElement | null>,
  files: readonly ListedFile[],
  place: number,
): void {
  const had = useRef<number | null>(null)
  useLayoutEffect(() => {
    const lost = had.current !== null && !document.activeElement?.closest('ul, dialog, [popover]')
    if (lost && document.activeElement === document.body) {
      const buttons = buttonsIn(list.current)
      buttons[Math.min(had.current ?? 0, buttons.length - 1)]?.focus({ preventScroll: true })
    }
    had.current = list.current?.contains(document.activeElement) ? place : null
  })
  useLayoutEffect(() => {
    const element = list.current
    const come = () => {
      had.current = buttonsIn(element).findIndex((one) => one.closest('li')?.contains(document.activeElement))
    }
    const go = (event: FocusEvent) => {
      if (event.relatedTarget) had.current = null
    }
    element?.addEventListener('focusin', come)
    element?.addEventListener('focusout', go)
    return () => {
      element?.removeEventListener('focusin', come)
      element?.removeEventListener('focusout', go)
    }
  }, [list])
}
