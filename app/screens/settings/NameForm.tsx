import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Outcome } from '../../data/failures/failures.ts'
import { Form } from '../../ui/Form.tsx'
import { TextField } from '../../ui/TextField.tsx'

interface Props {
  label: string
  hint?: string
  /** The current name; also used as the key, so that a change elsewhere replaces the text. */
  name: string
  maxLength: number
  autoComplete: string
  /** Whether it can be removed. */
  optional?: boolean
  save: (name: string) => Promise<Outcome<unknown>>
}

/** A field for a name; the save button appears with the first change. */
export function NameForm({ label, hint, name, maxLength, autoComplete, optional = false, save }: Props) {
  const [value, setValue] = useState(name)
  return (
    <Form
      action={value.trim() === name ? null : i18n._('Save')}
      isDisabled={!optional && !value.trim()}
      run={() => save(value.trim())}
      doneText={i18n._('Saved.')}
    >
      <TextField
        label={label}
        hint={hint}
        value={value}
        maxLength={maxLength}
        autoComplete={autoComplete}
        onChange={setValue}
      />
    </Form>
  )
}
