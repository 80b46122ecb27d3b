import { Field, type FieldTexts } from './Field.tsx'

interface Props<V extends string | number> extends FieldTexts {
  value: V
  options: readonly { value: V; label: string }[]
  disabled?: boolean
  onChange: (value: V) => void
}

/** A choice of one value out of a few. */
export function SelectField<V extends string | number>({
  value,
  options,
  disabled,
  onChange,
  ...texts
}: Props<V>) {
  return (
    <Field {...texts}>
      {(control) => (
        <select
          {...control}
          value={value}
          disabled={disabled}
          onChange={(event) => {
            const chosen = options[event.currentTarget.selectedIndex]
            if (chosen) onChange(chosen.value)
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
