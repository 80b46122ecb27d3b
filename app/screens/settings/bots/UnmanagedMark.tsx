import { i18n } from '@lingui/core'
import bots from './bots.module.css'

interface Props {
  /** What the user can do. */
  advice: string
}

/** Marks a token, webhook or command whose creator no longer manages the workspace. */
export function UnmanagedMark({ advice }: Props) {
  return (
    <p className={bots.mark}>
      {i18n._('Created by someone who no longer manages this workspace.')} {advice}
    </p>
  )
}
