import { i18n } from '@lingui/core'
import { useEffect, useRef, useState } from 'react'
import { fileKindOf } from '../../../../wire/fileKinds.ts'
import { downloadFile } from '../../../data/files/download/files.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import styles from './FileViewer.module.css'
import { NotShown } from './NotShown.tsx'
import { Paper } from './Paper.tsx'
import { PictureStage } from './PictureStage.tsx'
import { Player } from './Player.tsx'
import type { ShownFile } from './ShownFile.ts'
import { TextPage } from './TextPage.tsx'
import { useAhead } from './useAhead.ts'
import { useKeys } from './useKeys.ts'
import { useSettled } from './useSettled.ts'
import { useZoom } from './useZoom.ts'
import { percentOf, ViewerFoot } from './ViewerFoot.tsx'
import { ViewerHead } from './ViewerHead.tsx'

interface Props {
  files: readonly ShownFile[]
  /** Which of them is shown. */
  at: number
  onMove: (at: number) => void
  onClose: () => void
  /** Goes to the message that carries the file `at`; left out where one comes from there. */
  onShowInConversation?: (at: number) => void
}

/** One file as large as the window, with the way to its neighbours. */
export default function FileViewer({ files, at, onMove, onClose, onShowInConversation }: Props) {
  const shown = files[at]
  const count = files.length
  const kind = shown ? fileKindOf(shown.file.type) : 'other'
  const media = useRef<HTMLMediaElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const [tries, setTries] = useState(0)
  const [trouble, setTrouble] = useState<{ at: number; words: string } | null>(null)
  const [loaded, setLoaded] = useState<number | null>(null)
  const held = useZoom(at)
  const zoom = kind === 'picture' ? held : null
  useAhead(loaded === at ? (files[at + 1] ?? null) : null)
  useAhead(loaded === at ? (files[at - 1] ?? null) : null)

  const move = (to: number) => {
    if (to !== at && files[to]) onMove(to)
  }
  const save = () => {
    if (!shown) return
    void downloadFile(shown.channelId, shown.file.id, shown.file.name).then((outcome) => {
      // A notice would stand behind this window.
      setTrouble(outcome.ok ? null : { at, words: outcome.failure.sentence })
    })
  }
  const play = () => {
    const { current } = media
    if (current?.paused) current.play().catch(() => {})
    else current?.pause()
  }
  useKeys({
    at,
    count,
    zoom,
    onMove: move,
    onSave: save,
    onPlay: kind === 'video' || kind === 'audio' ? play : null,
  })
  // The dialog would put the focus on its first button, where Space presses it.
  useEffect(() => stage.current?.focus(), [])

  const place = count > 1 ? `, ${i18n._('{at} of {count}', { at: at + 1, count })}` : ''
  const said = useSettled(
    zoom && !zoom.whole
      ? i18n._('Zoom {percent}', { percent: percentOf(zoom) })
      : `${shown?.file.name ?? ''}${place}`,
  )
  if (!shown) return null
  const again = () => setTries(tries + 1)
  const key = `${shown.file.id} ${tries}`
  return (
    <Dialog title={`${shown.file.name}${place}`} bare className={styles.viewer} onClose={onClose}>
      <ViewerHead
        shown={shown}
        onShowInConversation={onShowInConversation ? () => onShowInConversation(at) : null}
        onSave={save}
        onClose={onClose}
      />
      {trouble?.at === at ? (
        <p className={styles.trouble} role="alert">
          {trouble.words}
        </p>
      ) : null}
      <div ref={stage} className={styles.stage} tabIndex={-1}>
        {kind === 'picture' ? (
          <PictureStage
            key={key}
            shown={shown}
            zoom={held}
            onSwipe={(by) => move(at + by)}
            onLoaded={() => setLoaded(at)}
            onAgain={again}
          />
        ) : kind === 'video' || kind === 'audio' ? (
          <Player key={key} shown={shown} kind={kind} media={media} onAgain={again} />
        ) : kind === 'pdf' ? (
          <Paper key={key} shown={shown} onSave={save} onAgain={again} />
        ) : kind === 'text' ? (
          <TextPage key={key} shown={shown} onAgain={again} />
        ) : (
          <NotShown
            file={shown.file}
            words={i18n._('No preview for this file type. Download it to open it.')}
            onSave={save}
          />
        )}
      </div>
      <ViewerFoot at={at} count={count} onMove={move} zoom={zoom} />
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </Dialog>
  )
}
