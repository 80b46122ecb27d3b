import { i18n } from '@lingui/core'
import { useRef, useState } from 'react'
import { success } from '../../../../data/failures/failures.ts'
import { LIMITS } from '../../../../../wire/limits.ts'
import { useMember, useMembers } from '../../../../data/people/people.ts'
import { Avatar } from '../../../../features/parts/members/avatar/Avatar.tsx'
import { useMe } from '../../../../features/parts/members/MeContext.ts'
import { PeoplePicker } from '../../../../features/parts/members/PeoplePicker.tsx'
import { Button } from '../../../../ui/Button.tsx'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'
import paneStyles from '../../SettingsPane.module.css'
import styles from './notifications.module.css'
import type { SavePreferences } from './useSavePreferences.ts'

interface Props {
  chosen: readonly string[]
  save: SavePreferences
}

/** People whose messages notify also during quiet hours and “Do not disturb”. */
export function MayInterrupt({ chosen, save }: Props) {
  const [isChoosing, setChoosing] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const remove = (id: string) => {
    // The row disappears with its button: the focus must not be lost.
    button.current?.focus({ preventScroll: true })
    void save({ may_interrupt: chosen.filter((one) => one !== id) })
  }
  return (
    <SettingsSection
      title={i18n._('Who can interrupt you')}
      hint={i18n._(
        'You’re notified about their messages even during quiet hours and “Do not disturb”. They can’t see that you chose them.',
      )}
    >
      {chosen.length > 0 ? (
        <ul className={styles.list} aria-label={i18n._('Who can interrupt you')}>
          {chosen.map((id) => (
            <ChosenPerson key={id} id={id} onRemove={() => remove(id)} />
          ))}
        </ul>
      ) : null}
      <div className={paneStyles.line}>
        <Button ref={button} onClick={() => setChoosing(true)}>
          {i18n._('Choose people')}
        </Button>
      </div>
      {isChoosing ? <ChoosePeople chosen={chosen} save={save} onClose={() => setChoosing(false)} /> : null}
    </SettingsSection>
  )
}

function ChosenPerson({ id, onRemove }: { id: string; onRemove: () => void }) {
  const name = useMember(id)?.profile.name ?? i18n._('Former member')
  return (
    <li className={styles.person}>
      <Avatar id={id} name={name} size={24} />
      <bdi className={styles.name}>{name}</bdi>
      <Button variant="quiet" aria-label={i18n._('Remove {name}', { name })} onClick={onRemove}>
        {i18n._('Remove')}
      </Button>
    </li>
  )
}

function ChoosePeople({ chosen: before, save, onClose }: Props & { onClose: () => void }) {
  const { profile } = useMe()
  const members = useMembers()
  const [chosen, setChosen] = useState([...before])
  const people = members
    .filter((member) => member.state === 'active' && member.profile.id !== profile.id)
    .map((member) => member.profile)
  return (
    <FormDialog
      title={i18n._('Who can interrupt you')}
      action={i18n._('Save')}
      run={async () => ((await save({ may_interrupt: chosen })) ? success(undefined) : null)}
      hasChoices={String(chosen) !== String(before)}
      onClose={onClose}
    >
      <PeoplePicker
        people={people}
        chosen={chosen}
        max={LIMITS.mayInterrupt}
        fullHint={i18n._('You can choose up to 20 people.')}
        onChange={setChosen}
      />
    </FormDialog>
  )
}
