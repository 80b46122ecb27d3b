import { i18n } from '@lingui/core'
import type { MovingFailure } from '../../../../wire/moving.ts'

interface Props {
  title: string
  failure: MovingFailure
  /** The sentence of the command, in English; empty without one. */
  reason: string
}

/** Why an export or import has ended without a result. */
export function FailureNotice({ title, failure, reason }: Props) {
  return (
    <div role="alert">
      <p>{title}</p>
      {failure === 'interrupted' ? <p>{i18n._('The server was stopped in the meantime.')}</p> : null}
      {failure === 'disk_full' ? <p>{i18n._('The disk of the server was almost full.')}</p> : null}
      {reason === '' ? null : <p lang="en">{reason}</p>}
    </div>
  )
}
