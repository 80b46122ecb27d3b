/** What the parent of such a process is told. */
export type Told<Answer> = { answer: Answer } | { error: string }

/** Answers the parent's tasks, one at a time, until it lets go; resolves to the exit code. */
export function answerTasks<Task, Answer>(answer: (task: Task) => Promise<Answer>): Promise<number> {
  // A terminal interrupts the parent as well, which ends this process when it has cleaned up.
  process.on('SIGINT', () => {})
  const send = (told: Told<Answer>): void => {
    if (process.connected) process.send!(told)
  }
  process.on('message', (task: Task) => {
    answer(task).then(
      (answer) => send({ answer }),
      (error: Error) => send({ error: error.message }),
    )
  })
  return new Promise((resolve) => {
    process.once('disconnect', () => resolve(0))
  })
}
