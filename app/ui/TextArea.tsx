import type { Ref, TextareaHTMLAttributes } from 'react'
import { Field, type FieldTexts } from './Field.tsx'

interface Props
  extends FieldTexts, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'className'> {
  onChange?: (text: string) => void
  ref?: Ref<HTMLTextAreaElement>
}

/** A text field of several lines, with label and hint. */
export function TextArea({ label, hint, hideLabel, className, onChange, ...rest }: Props) {
  return (
    <Field label={label} hint={hint} hideLabel={hideLabel} className={className}>
      {(control) => (
        <textarea
          dir="auto"
          rows={3}
          {...rest}
          {...control}
          onChange={(event) => onChange?.(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
