/** What the parent of such a process is told. */
export type Told<Answer> = { answer: Answer } | { error: string }

/** Answers the parent's tasks, one at a time, until it lets go; resolves to the exit code. */
export function answerTasks<Task, Answer>(answer: (task: Task) => Promise<Answer>): Promise<number> {
  process.on('message', (task: Task) => {
    answer(task).then(
      (answer) => process.send!({ answer } satisfies Told<Answer>),
      (error: Error) => process.send!({ error: error.message } satisfies Told<Answer>),
    )
  })
  return new Promise((resolve) => {
    process.once('disconnect', () => resolve(0))
  })
}
