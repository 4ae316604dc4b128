"""What people say: samples of a run, and drafts of questions, judged in a spreadsheet."""
