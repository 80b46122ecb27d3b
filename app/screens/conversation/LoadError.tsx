import { i18n } from '@lingui/core'
import type { Failure } from '../../data/failures/failures.ts'
import { Button } from '../../ui/Button.tsx'
import paneStyles from '../../shell/Pane.module.css'

/** An error while loading messages, with a button to retry. */
export function LoadError({ failure, onRetry }: { failure: Failure | null; onRetry: (() => void) | null }) {
  return (
    <div className={paneStyles.error} role="alert">
      <p>{failure?.message ?? i18n._('This conversation couldn’t be loaded.')}</p>
      {onRetry ? <Button onClick={onRetry}>{i18n._('Try again')}</Button> : null}
    </div>
  )
}
