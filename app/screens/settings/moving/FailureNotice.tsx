import { i18n } from '@lingui/core'
import type { MovingFailure } from '../../../../wire/moving.ts'

interface Props {
  title: string
  failure: MovingFailure
  /** The sentence of the command, in English; empty without one. */
  reason: string
  /** Whether an owner may have paused it. */
  isPaused?: boolean
}

/** Why an export or import has ended without a result. */
export function FailureNotice({ title, failure, reason, isPaused = false }: Props) {
  return (
    <div role="alert">
      <p>{title}</p>
      {failure === 'interrupted' && !isPaused ? (
        <p>{i18n._('The server was stopped in the meantime.')}</p>
      ) : null}
      {failure === 'disk_full' ? <p>{i18n._('The disk of the server was almost full.')}</p> : null}
      {reason === '' ? null : <p lang="en">{reason}</p>}
    </div>
  )
}
