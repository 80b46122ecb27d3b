import { i18n } from '@lingui/core'
import { Button } from '../ui/Button.tsx'
import paneStyles from './Pane.module.css'

interface Props {
  text: string
  /** Whether the list is requested again. */
  busy?: boolean
  onRetry: () => void
}

/** An error while loading the content of a pane, with a button to retry. */
export function LoadError({ text, busy = false, onRetry }: Props) {
  return (
    <div className={paneStyles.error} role="alert">
      <p>{text}</p>
      <Button busy={busy} onClick={onRetry}>
        {i18n._('Try again')}
      </Button>
    </div>
  )
}
