import { i18n } from '@lingui/core'
import { Button } from '../../../ui/Button.tsx'
import styles from './Failed.module.css'

/** Says that a file could not be shown, and tries again. */
export function Failed({ words, onAgain }: { words: string; onAgain: () => void }) {
  return (
    <div className={styles.failed} role="status">
      <span>{words}</span>
      <Button onClick={onAgain}>{i18n._('Try again')}</Button>
    </div>
  )
}
