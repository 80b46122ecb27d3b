import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Outcome } from '../../data/failures/failures.ts'
import { Button } from '../../ui/Button.tsx'
import { Form } from '../../ui/Form.tsx'
import { useToast } from '../../ui/toast.ts'
import { TextField } from '../../ui/TextField.tsx'
import { useAction } from '../../data/hooks/useAction.ts'

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
  const showToast = useToast()
  const [value, setValue] = useState(name)
  const action = useAction()
  const isSame = value.trim() === name
  const isMissing = !optional && !value.trim()
  const submit = async () => {
    if (isSame || isMissing) return
    if (await action.run(() => save(value.trim()))) showToast({ text: i18n._('Saved.') })
  }
  return (
    <Form onSubmit={() => void submit()} failure={action.failure}>
      <TextField
        label={label}
        hint={hint}
        value={value}
        maxLength={maxLength}
        autoComplete={autoComplete}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
      {isSame ? null : (
        <div>
          <Button type="submit" variant="primary" busy={action.busy} disabled={isMissing}>
            {i18n._('Save')}
          </Button>
        </div>
      )}
    </Form>
  )
}
