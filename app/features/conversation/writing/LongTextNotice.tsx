import { i18n } from '@lingui/core'
import { Button } from '../../../ui/Button.tsx'
import styles from './FormatBar.module.css'

/** A pasted text of so many characters or lines is offered as a file. */
const LONG_CHARACTERS = 4_000
const LONG_LINES = 100

/** Whether a pasted text is offered as a file. */
export function isLongText(text: string): boolean {
  return text.length > LONG_CHARACTERS || text.split('\n', LONG_LINES + 1).length > LONG_LINES
}

/** The file of a pasted text. */
export function textFile(text: string): File {
  return new File([text], `${i18n._('Pasted text')}.txt`, { type: 'text/plain' })
}

/** Offers to attach the pasted text as a file. */
export function LongTextNotice({ onAttach, onKeep }: { onAttach: () => void; onKeep: () => void }) {
  return (
    <div className={styles.notice} role="status">
      <p>{i18n._('That’s a long text.')}</p>
      <Button variant="quiet" onClick={onAttach}>
        {i18n._('Attach it as a file')}
      </Button>
      <Button variant="quiet" onClick={onKeep}>
        {i18n._('Keep it here')}
      </Button>
    </div>
  )
}
