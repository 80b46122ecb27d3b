import type { InputHTMLAttributes, Ref } from 'react'
import { Field, type FieldTexts } from './Field.tsx'
import { useFieldFailure } from './fieldFailure.ts'

interface Props extends FieldTexts, Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'className'> {
  onChange?: (text: string) => void
  /** What is wrong with the value, and how to fix it. */
  error?: string | null
  ref?: Ref<HTMLInputElement>
}

/**
 * A text field with label, and hint or error. `name`: a failure of the form may name it. The browser suggests values only
 * with `autoComplete`.
 */
export function TextField({ label, hint, error, hideLabel, className, onChange, ...rest }: Props) {
  const failure = useFieldFailure(rest.name)
  return (
    <Field label={label} hint={hint} error={error ?? failure} hideLabel={hideLabel} className={className}>
      {(control) => (
        <input
          dir="auto"
          autoComplete="off"
          {...rest}
          {...control}
          onChange={(event) => onChange?.(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
