import { i18n } from '@lingui/core'
import { TextField } from '../../../ui/TextField.tsx'

/** Minimum length of a password. */
const MIN_CHARACTERS = 8

/** Whether a new password is long enough. */
export const isLongEnough = (password: string): boolean => password.length >= MIN_CHARACTERS

interface Props {
  label: string
  autoFocus?: boolean
  value: string
  onChange: (password: string) => void
}

/** The field of a new password. */
export function NewPasswordField(props: Props) {
  return (
    <TextField
      {...props}
      hint={i18n._('At least {count} characters. A few random words work well.', { count: MIN_CHARACTERS })}
      type="password"
      autoComplete="new-password"
    />
  )
}
