import { i18n } from '@lingui/core'
import { TextField } from '../../../ui/TextField.tsx'

interface Props {
  value: string
  onChange: (value: string) => void
}

/** The reader's phone number, which takes the focus. */
export function PhoneField({ value, onChange }: Props) {
  return (
    <TextField
      label={i18n._('Phone number')}
      hint={i18n._('Include the country code, for example +1 or +44.')}
      type="tel"
      autoComplete="tel"
      dir="ltr"
      autoFocus
      value={value}
      onChange={onChange}
    />
  )
}
