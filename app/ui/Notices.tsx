import { useCallback, useEffect, useState, type ReactNode } from 'react'
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
  useEffect(() => {
    const timer = setTimeout(onEnd, SHOWN_FOR)
    return () => clearTimeout(timer)
  }, [onEnd])
  return (
    <div className={styles.notice}>
      <span>{notice.words}</span>
      {notice.action ? (
        <Button
          look="quiet"
          className={styles.action}
          onClick={() => {
            notice.action?.run()
            onEnd()
          }}
        >
          {notice.action.label}
        </Button>
      ) : null}
    </div>
  )
}
