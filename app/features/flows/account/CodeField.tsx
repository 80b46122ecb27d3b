import { i18n } from '@lingui/core'
import type { Ref } from 'react'
import { TextField } from '../../../ui/TextField.tsx'
import styles from './account.module.css'

interface Props {
  label?: string
  hint?: string
  value: string
  onChange: (digits: string) => void
  ref?: Ref<HTMLInputElement>
  autoFocus?: boolean
}

/**
 * A field for a numeric code; everything but digits is removed from pasted text. Codes have 6 digits, on some servers
 * up to 10.
 */
export function CodeField({ label = i18n._('6-digit code'), value, onChange, ...rest }: Props) {
  return (
    <TextField
      {...rest}
      label={label}
      value={value}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoCapitalize="off"
      spellCheck={false}
      dir="ltr"
      className={styles.code}
      onChange={(text) => onChange(text.replaceAll(/\D/g, '').slice(0, 10))}
    />
  )
}

/** Whether the digits can be a complete code. */
export function isCompleteCode(digits: string): boolean {
  return digits.length >= 6
}
