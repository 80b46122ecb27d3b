import styles from './Skeleton.module.css'
import { useDelayed } from './useDelayed.ts'

interface Props {
  /** Accessible name, e.g. "Loading the conversation". */
  label: string
  rows?: number
  /** `messages`: rows with avatars; `lines`: a plain list. */
  shape?: 'messages' | 'lines'
}

/** A placeholder for loading content, after 200 ms: fast responses show nothing in between. */
export function Skeleton({ label, rows = 5, shape = 'messages' }: Props) {
  const isShown = useDelayed(true)
  if (!isShown) return null
  return (
    <div role="status" aria-label={label} className={styles.skeleton}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={styles.row}>
          {shape === 'messages' ? <span className={styles.avatar} /> : null}
          <span className={styles.lines}>
            <span className={styles.line} style={{ width: `${22 + ((index * 13) % 18)}%` }} />
            {shape === 'messages' ? (
              <span className={styles.line} style={{ width: `${48 + ((index * 29) % 44)}%` }} />
            ) : null}
          </span>
        </div>
      ))}
    </div>
  )
}
