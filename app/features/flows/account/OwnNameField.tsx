import { i18n } from '@lingui/core'
import { LIMITS } from '../../../../wire/limits.ts'
import { TextField } from '../../../ui/TextField.tsx'

interface Props {
  value: string
  onChange: (value: string) => void
}

/** The name under which the reader joins a workspace. */
export function OwnNameField({ value, onChange }: Props) {
  return (
    <TextField
      label={i18n._('Your name')}
      hint={i18n._('How others will see you.')}
      autoComplete="name"
      maxLength={LIMITS.personNameCharacters}
      value={value}
      onChange={onChange}
    />
  )
}
