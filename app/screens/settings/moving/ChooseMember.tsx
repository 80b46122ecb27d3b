import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useMembers } from '../../../data/people/people.ts'
import { PeoplePicker } from '../../../features/parts/members/PeoplePicker.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'

interface Props {
  /** The name of the person in the export. */
  name: string
  onChoose: (profileId: string) => void
  onClose: () => void
}

/** Chooses the member whose messages the ones of a person of the export become. */
export function ChooseMember({ name, onChoose, onClose }: Props) {
  const members = useMembers().flatMap(({ state, profile }) => (state === 'active' ? [profile] : []))
  const [chosen, setChosen] = useState<string[]>([])
  return (
    <FormDialog
      title={i18n._('Who is {name}?', { name })}
      action={i18n._('Choose member')}
      isDisabled={chosen.length === 0}
      run={() => {
        onChoose(chosen[0]!)
        return { ok: true, value: null }
      }}
      onClose={onClose}
    >
      <p className="note">
        {i18n._(
          'The messages of {name} become messages of this member, also the ones in private conversations.',
          {
            name,
          },
        )}
      </p>
      <PeoplePicker people={members} chosen={chosen} max={1} onChange={setChosen} />
    </FormDialog>
  )
}
