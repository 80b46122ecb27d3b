import { i18n } from '@lingui/core'
import { useRef, useState } from 'react'
import { Button } from '../../../../ui/Button.tsx'
import { TextField } from '../../../../ui/TextField.tsx'
import styles from './CopyField.module.css'

interface Props {
  label: string
  value: string
  hint: string
  /** Label of the button; default "Copy link". */
  copyLabel?: string
}

/** A read-only text: selected on focus, copied by the button. */
export function CopyField({ label, value, hint, copyLabel }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const [copied, setCopied] = useState<string | null>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(value)
    } catch {
      // Without clipboard permission the text is selected, ready for the keyboard.
      field.current?.select()
    }
  }
  return (
    <div className={styles.copy}>
      <TextField
        ref={field}
        label={label}
        hint={hint}
        value={value}
        readOnly
        dir="ltr"
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button onClick={() => void copy()}>
        {copied === value ? i18n._('Copied') : (copyLabel ?? i18n._('Copy link'))}
      </Button>
    </div>
  )
}
