import styles from './MovingPane.module.css'

interface Props {
  /** What happens, which is also the accessible name. */
  text: string
  /** Between 0 and 1; null if it is not known. */
  part: number | null
}

/** The progress of an export, an upload or an import. */
export function Progress({ text, part }: Props) {
  const percent = part === null ? null : Math.round(Math.min(1, Math.max(0, part)) * 100)
  return (
    <>
      <p>{text}</p>
      <div
        className={styles.bar}
        role="progressbar"
        aria-label={text}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent ?? undefined}
      >
        <div style={{ inlineSize: `${percent ?? 0}%` }} />
      </div>
    </>
  )
}
