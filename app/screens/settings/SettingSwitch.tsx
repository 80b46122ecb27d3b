import type { ComponentProps } from 'react'
import type { Outcome } from '../../data/failures/failures.ts'
import { useSetting } from '../../data/hooks/useSetting.ts'
import { Switch } from '../../ui/Switch.tsx'

interface Props extends Pick<ComponentProps<typeof Switch>, 'label' | 'hint'> {
  saved: boolean
  save: (value: boolean) => Promise<Outcome<unknown>>
}

/** A setting that is on or off, which is saved once it is changed. */
export function SettingSwitch({ saved, save, ...texts }: Props) {
  const { value, choose, failure } = useSetting(saved, save)
  return <Switch {...texts} checked={value} onChange={choose} failure={failure} />
}
