import styles from './Skeleton.module.css'
import { useDelayed } from './useDelayed.ts'

interface Props {
  /** Read aloud, e.g. "Loading the conversation". */
  label: string
  rows?: number
  /** `words`: messages with faces; `lines`: a plain list. */
  shape?: 'words' | 'lines'
}

/** The outline of what is coming, after 200 ms: faster answers show nothing in between. */
export function Skeleton({ label, rows = 5, shape = 'words' }: Props) {
  const isShown = useDelayed(true)
  if (!isShown) return null
  return (
    <div role="status" aria-label={label} className={styles.skeleton}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={styles.row}>
          {shape === 'words' ? <span className={styles.avatar} /> : null}
          <span className={styles.lines}>
            <span className={styles.line} style={{ width: `${22 + ((index * 13) % 18)}%` }} />
            {shape === 'words' ? (
              <span className={styles.line} style={{ width: `${48 + ((index * 29) % 44)}%` }} />
            ) : null}
          </span>
        </div>
      ))}
    </div>
  )
}
