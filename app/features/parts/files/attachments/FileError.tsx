import { i18n } from '@lingui/core'
import { Button } from '../../../../ui/Button.tsx'
import styles from './FileError.module.css'

/** States that a file can't be shown, with a button to retry. */
export function FileError({ text, onRetry }: { text: string; onRetry: () => void }) {
  return (
    <div className={styles.error} role="status">
      <span>{text}</span>
      <Button onClick={onRetry}>{i18n._('Try again')}</Button>
    </div>
  )
}
