import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { announce } from './announce.ts'
import { Button } from './Button.tsx'
import { NoticeContext, type Notice } from './notice.ts'
import styles from './Notices.module.css'

/** Long enough to read and to change one's mind. */
const SHOWN_FOR = 6_000

/** Holds the one notice that is shown; the next one takes its place. */
export function Notices({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Notice | null>(null)
  const show = useCallback((next: Notice) => {
    announce(next.words)
    setNotice(next)
  }, [])
  const end = useCallback(() => setNotice(null), [])
  return (
    <NoticeContext value={show}>
      {children}
      {notice ? <Shown key={notice.words} notice={notice} onEnd={end} /> : null}
    </NoticeContext>
  )
}

function Shown({ notice, onEnd }: { notice: Notice; onEnd: () => void }) {
  const cameFrom = useRef<Element | null>(null)
  const end = useCallback(() => {
    // Its button goes with it: who was on it is put back, or the focus would be lost.
    if (cameFrom.current instanceof HTMLElement) cameFrom.current.focus({ preventScroll: true })
    onEnd()
  }, [onEnd])
  useEffect(() => {
    const timer = setTimeout(end, SHOWN_FOR)
    return () => clearTimeout(timer)
  }, [end])
  return (
    <div
      className={styles.notice}
      onFocus={(event) => {
        cameFrom.current = event.relatedTarget
      }}
      onBlur={() => {
        cameFrom.current = null
      }}
    >
      <span>{notice.words}</span>
      {notice.action ? (
        <Button
          look="quiet"
          className={styles.action}
          onClick={() => {
            notice.action?.run()
            end()
          }}
        >
          {notice.action.label}
        </Button>
      ) : null}
    </div>
  )
}
