import { i18n } from '@lingui/core'
import { Suspense, useCallback, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import type { ListedFile } from '../../../../../wire/files.ts'
import { keyOf } from '../../../../data/files/listing/fileList.ts'
import { downloadFile } from '../../../../data/files/download/useFileUrl.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'
import type { MenuItem } from '../../../../ui/Menu.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { Download, Link2, MessageSquare } from '../../icons.ts'
import { useCopyLink } from '../../useCopyLink.ts'
import styles from './FileBrowser.module.css'
import { FileItem } from './FileItem.tsx'
import { nextGridIndex } from './gridNavigation.ts'

const FileViewer = lazyComponent(() => import('../viewer/FileViewer.tsx'))
const Menu = lazyComponent(() => import('../../../../ui/Menu.tsx'))

/** The viewer requests older files when this many are left. */
const PREFETCH_WITHIN = 5

interface Props {
  files: readonly ListedFile[]
  /** As tiles; otherwise rows. */
  tiles: boolean
  busy: boolean
  /** Names of conversations; empty if all files are of one. */
  conversationNames: ReadonlyMap<string, string>
  onMore: () => void
}

interface OpenMenu {
  listed: ListedFile
  anchor: HTMLElement
  focusedKey?: { x: number; y: number } | undefined
}

/** The list of files: arrow keys move the focus, Enter opens a file, each has a menu. */
export function FileItems({ files, tiles, busy, conversationNames, onMore }: Props) {
  const [focusedKey, setFocusedKey] = useState<string | null>(null)
  const [openKey, setOpenKey] = useState<string | null>(null)
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const list = useRef<HTMLUListElement>(null)
  const focusIndex = Math.max(0, focusedKey === null ? 0 : indexOf(files, focusedKey))
  useFocusRecovery(list, files, focusIndex)

  const open = useCallback((listed: ListedFile) => {
    setFocusedKey(keyOf(listed))
    setOpenKey(keyOf(listed))
  }, [])
  const openMenu = useCallback(
    (listed: ListedFile, anchor: HTMLElement, point?: { x: number; y: number }) => {
      setFocusedKey(keyOf(listed))
      setMenu({ listed, anchor, focusedKey: point })
    },
    [],
  )
  const closeMenu = useCallback(() => setMenu(null), [])

  function focusFile(to: number) {
    const next = files[to]
    const button = buttonsIn(list.current)[to]
    if (!next || !button) return
    setFocusedKey(keyOf(next))
    button.focus({ preventScroll: true })
    button.closest('li')?.scrollIntoView({ block: 'nearest' })
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const direction = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1
    const to = nextGridIndex(event.key, focusIndex, files.length, columnsOf(list.current), direction)
    if (to === null) return
    event.preventDefault()
    focusFile(to)
  }

  const openIndex = openKey === null ? -1 : indexOf(files, openKey)
  return (
    <>
      <ul
        ref={list}
        className={tiles ? styles.tiles : styles.lines}
        aria-label={i18n._('Files')}
        aria-busy={busy}
        onKeyDown={onKeyDown}
      >
        {files.map((listed, index) => (
          <FileItem
            key={keyOf(listed)}
            listed={listed}
            tile={tiles}
            conversation={conversationNames.get(listed.channel_id) ?? null}
            isTabStop={index === focusIndex}
            onOpen={open}
            onMenu={openMenu}
            onGoToMessage={goToMessage}
          />
        ))}
      </ul>
      <Suspense>
        {menu ? <FileMenu {...menu} onClose={closeMenu} /> : null}
        {openIndex >= 0 ? (
          <Viewer
            files={files}
            focusedKey={openIndex}
            onMove={(to) => {
              const next = files[to]
              if (next) setOpenKey(keyOf(next))
              if (to >= files.length - PREFETCH_WITHIN) onMore()
            }}
            onClose={() => {
              setOpenKey(null)
              // After the dialog has returned the focus to the file it was opened from.
              requestAnimationFrame(() => focusFile(openIndex))
            }}
          />
        ) : null}
      </Suspense>
    </>
  )
}

interface ViewerProps {
  files: readonly ListedFile[]
  focusedKey: number
  onMove: (focusedKey: number) => void
  onClose: () => void
}

function Viewer({ files, focusedKey, onMove, onClose }: ViewerProps) {
  return (
    <FileViewer
      files={files.map(({ channel_id: channelId, file, author_id: by, created_at }) => ({
        channelId: file.channel_id ?? channelId,
        file,
        sent: { by, at: created_at },
      }))}
      at={focusedKey}
      onMove={onMove}
      onClose={onClose}
      onShowInConversation={(index) => {
        const file = files[index]
        if (file) goToMessage(file)
      }}
    />
  )
}

function FileMenu({ listed, anchor, focusedKey, onClose }: OpenMenu & { onClose: () => void }) {
  const showToast = useToast()
  const copyLink = useCopyLink()
  const { file, channel_id: channelId } = listed
  const items: MenuItem[] = [
    {
      label: i18n._('Go to message'),
      icon: <Icon of={MessageSquare} />,
      onSelect: () => goToMessage(listed),
    },
    {
      label: i18n._('Download'),
      icon: <Icon of={Download} />,
      onSelect: () =>
        void downloadFile(file.channel_id ?? channelId, file.id, file.name).then((outcome) => {
          if (!outcome.ok) showToast({ text: outcome.failure.message })
        }),
    },
    {
      label: i18n._('Copy link'),
      icon: <Icon of={Link2} />,
      onSelect: () => copyLink(pathTo('file', { channelId, messageId: listed.message_id, fileId: file.id })),
    },
  ]
  return <Menu label={file.name} isTitled items={items} anchor={anchor} at={focusedKey} onClose={onClose} />
}

function goToMessage(listed: ListedFile): void {
  navigate(messagePath(listed))
}

/** The message with the file; a reply redirects to its thread. */
function messagePath({ channel_id: channel, message_id: message }: ListedFile): string {
  return pathTo('message', { channelId: channel, messageId: message })
}

function indexOf(files: readonly ListedFile[], key: string): number {
  return files.findIndex((one) => keyOf(one) === key)
}

function buttonsIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-open]') ?? [])]
}

/** Number of columns. */
function columnsOf(list: HTMLElement | null): number {
  const items = [...(list?.children ?? [])] as HTMLElement[]
  const top = items[0]?.offsetTop
  const below = items.findIndex((item) => item.offsetTop !== top)
  return Math.max(1, below < 0 ? items.length : below)
}

/** If the focused file disappears (its message was deleted), the file at its index is focused. */
function useFocusRecovery(
  list: React.RefObject<HTMLUListElement | null>,
  files: readonly ListedFile[],
  focusIndex: number,
): void {
  const focusedIndex = useRef<number | null>(null)
  useLayoutEffect(() => {
    const lost = focusedIndex.current !== null && !document.activeElement?.closest('ul, dialog, [popover]')
    if (lost && document.activeElement === document.body) {
      const buttons = buttonsIn(list.current)
      buttons[Math.min(focusedIndex.current ?? 0, buttons.length - 1)]?.focus({ preventScroll: true })
    }
    focusedIndex.current = list.current?.contains(document.activeElement) ? focusIndex : null
  })
  useLayoutEffect(() => {
    const element = list.current
    const onFocusIn = () => {
      focusedIndex.current = buttonsIn(element).findIndex((one) =>
        one.closest('li')?.contains(document.activeElement),
      )
    }
    const onFocusOut = (event: FocusEvent) => {
      if (event.relatedTarget) focusedIndex.current = null
    }
    element?.addEventListener('focusin', onFocusIn)
    element?.addEventListener('focusout', onFocusOut)
    return () => {
      element?.removeEventListener('focusin', onFocusIn)
      element?.removeEventListener('focusout', onFocusOut)
    }
  }, [list])
}
